"""A fleet with its commitments: needs, types that carry them, the exact bill and its bound."""
