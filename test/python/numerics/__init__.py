"""Tests of the accuracy of functions, conversions and divisions."""
