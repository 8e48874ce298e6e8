"""``python -m specstats``."""

from specstats.cli.main import main

if __name__ == "__main__":
    main()
