"""python -m export"""

from export.cli import main

main()
