"""Google's price catalogue: its SKUs as values, and what each of them is the price of."""
