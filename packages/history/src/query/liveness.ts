// When a recorder counts as gone: it says at least every second that it is watching.

/** Silent for longer than this, it is taken for gone. */
export const LIVENESS_MS = 5000;
