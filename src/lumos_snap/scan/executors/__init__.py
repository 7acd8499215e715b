"""The code that reads one file, in Spark's workers or in processes of this machine.

With `formats/*/probe.py`, `tables/*/log.py` and `stores/`, it is pickled by value: workers need
nothing of ours. It imports the standard library and pyarrow only.
"""
