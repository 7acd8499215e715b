"""Code that reads one file, in Spark's workers or in processes of this machine.

Together with `formats/*/probe.py`, `tables/*/log.py` and `stores/`, it is pickled by value: workers
do not need this package. It imports the standard library and pyarrow only.
"""
