"""The limits of pods: the headers, the packets and the encryption of a cluster network."""
