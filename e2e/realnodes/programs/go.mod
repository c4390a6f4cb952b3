// Our own programs of a real node: its init, its network, the observers of its truth, and what runs in its pods.
module podtrail.dev/e2e/realnodes

go 1.26.0
