// The flags of V8 that podtrail's own process runs with, and so does this benchmark.

/**
 * A small young generation: what a listing decodes is kept almost entirely, so that a large one only means copying it
 * twice and holding more empty room.
 */
export const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=4'];
