"""The commands of ``python -m blockdsl``: each adds its own arguments, and gives the text to be printed."""
