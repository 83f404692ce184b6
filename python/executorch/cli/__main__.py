import sys

from executorch.cli.main import main

sys.exit(main())
