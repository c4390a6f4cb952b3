// The end of what has not ended: the largest integer that JavaScript reads back exactly.
export const OPEN = Number.MAX_SAFE_INTEGER;
