"""Local engines: Ollama, LM Studio, MLX, KoboldCpp, exllama and TabbyAPI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers.local import (
    club3090,
    exllama,
    koboldcpp,
    koboldcpp_csv,
    lmstudio,
    lmstudio_harness,
    mlx_context_csv,
    mlx_dflash,
    mlx_generate,
    mlx_hybrid_log,
    mlx_lm,
    mlx_receipt,
    ollama_api,
    ollama_bench,
    ollama_csv,
    ollama_verbose,
    tabbyapi,
)

if TYPE_CHECKING:
    from specstats.readers._base import Reader

__all__ = ["READERS"]

READERS: tuple[Reader, ...] = (
    ollama_api.READER,
    ollama_csv.READER,
    ollama_verbose.READER,
    ollama_bench.READER,
    lmstudio.READER,
    lmstudio_harness.READER,
    mlx_lm.READER,
    mlx_generate.READER,
    mlx_dflash.READER,
    mlx_context_csv.READER,
    mlx_hybrid_log.READER,
    mlx_receipt.READER,
    koboldcpp_csv.READER,
    koboldcpp.READER,
    tabbyapi.READER,
    exllama.READER,
    club3090.READER,
)
