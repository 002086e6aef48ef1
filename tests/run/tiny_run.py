"""`python -m tests.run.tiny_run`: `python -m service run`, with the tiny site in the place of Shorebreak's own."""

import os
import sys

from service.run.supervisor import main

if __name__ == "__main__":
    sys.exit(main(os.environ, [sys.executable, "-m", "tests.run.tiny_site"]))
