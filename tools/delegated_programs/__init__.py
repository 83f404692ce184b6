"""Methods of one operator each, for the XNNPACK partitioner: kinds of operators, types, ranks, broadcasting, odd numbers.

GROUPS maps the name of a program to a function of the element type that lists its methods.
"""

from delegated_programs import elementwise, images, products, views

GROUPS = {**elementwise.GROUPS, **images.GROUPS, **products.GROUPS, **views.GROUPS}
