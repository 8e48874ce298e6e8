"""SGLang, TensorRT-LLM, LMDeploy and Text Generation Inference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers.sglang import (
    benchmarker,
    details,
    lmdeploy,
    log,
    one_batch,
    server_info,
    serving,
    tgi,
    trtllm,
    trtllm_requests,
)

if TYPE_CHECKING:
    from specstats.readers._base import Reader

__all__ = ["READERS"]

READERS: tuple[Reader, ...] = (
    serving.READER,
    one_batch.READER,
    log.READER,
    server_info.READER,
    details.READER,
    trtllm.READER,
    trtllm_requests.READER,
    lmdeploy.READER,
    tgi.READER,
    benchmarker.READER,
)
