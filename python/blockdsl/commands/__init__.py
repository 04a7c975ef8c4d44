"""Commands of the program ``blockdsl``. Each adds its own arguments, and returns the text to print."""
