"""`python -m service doctor`: looks at an installation as it is, and says what to change.

`finding` is what is said of each thing looked at; `machine`, `store` and `work` look, each at its own; `report` prints.
"""
