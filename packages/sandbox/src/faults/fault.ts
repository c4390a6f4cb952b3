// What can be made to go wrong, as plain data: a test writes it in code, an e2e test or a person sends it as JSON to the
// control endpoint. The switchboard decides when one strikes.

/** Which requests are meant; what is left out means any. */
export interface FaultTarget {
  readonly verb?: string;
  /** `pods`, `deployments.apps`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

interface Striking {
  readonly on?: FaultTarget;
  /** Strikes so often and is then used up. Default 1. */
  readonly times?: number;
  /** So many occasions pass first. Default 0. */
  readonly after?: number;
  /** Strikes at an occasion with this chance. Default 1. */
  readonly chance?: number;
}

/** Strikes instead of an answer, or before it. An occasion is a request. */
export type RequestFault = Striking &
  (
    | {
        /** 429, 503, 500, 401 …: a Status with this code. */
        readonly kind: 'refuse';
        readonly code: number;
        readonly retryAfterSeconds?: number;
      }
    /** The version that is asked for has been compacted away: 410 as an answer, whatever it is. */
    | { readonly kind: 'expire' }
    /** 200, and then something that no watch is: a page of a proxy, or a list. */
    | { readonly kind: 'wrong-body'; readonly body?: string; readonly contentType?: string }
    /** A watch that ends, cleanly, as soon as it has begun. */
    | { readonly kind: 'close-at-once' }
    | { readonly kind: 'delay'; readonly ms: number }
    | { readonly kind: 'break' }
    | { readonly kind: 'never-answer' }
  );

/** Strikes a frame of a watch. An occasion is a frame that is no bookmark. */
export type FrameFault = Striking &
  /** The event never comes. */
  (
    | { readonly kind: 'drop' }
    | { readonly kind: 'repeat' }
    /** It comes after the next one. */
    | { readonly kind: 'swap' }
    /** An event that was sent before comes once more, with its old version. */
    | { readonly kind: 'older' }
    /** From here on the connection stays open and carries nothing, not even its end. */
    | { readonly kind: 'half-open' }
    /** Nothing comes for so long; then everything does. */
    | { readonly kind: 'stall'; readonly ms: number }
    /** Every frame from here on comes so much later than the one before. */
    | { readonly kind: 'slow'; readonly ms: number }
    /** Half of the frame, then a clean end. */
    | { readonly kind: 'truncate' }
    | { readonly kind: 'garbage' }
    /** In pieces that end in the middle of things: of a number, of a character. Harmless, to who reads well. */
    | { readonly kind: 'shred' }
    | { readonly kind: 'cut' }
    | { readonly kind: 'end' }
    /** An ERROR event with 410, as when the server's memory is too short for a slow reader. */
    | { readonly kind: 'expire-inside' }
  );

export type Fault = RequestFault | FrameFault;

const REQUEST_FAULTS = [
  ...(['refuse', 'expire', 'wrong-body', 'close-at-once', 'delay', 'break', 'never-answer'] as const),
];

const FRAME_FAULTS = [
  ...(['drop', 'repeat', 'swap', 'older', 'half-open', 'stall', 'slow', 'truncate', 'garbage', 'shred'] as const),
  ...(['cut', 'end', 'expire-inside'] as const),
];

export function isRequestFault(fault: Fault): fault is RequestFault {
  return (REQUEST_FAULTS as readonly string[]).includes(fault.kind);
}

/** From JSON that came from outside. Throws a sentence that says what to write. */
export function parseFault(given: unknown): Fault {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new Error('A fault is an object like {"kind": "refuse", "code": 503, "on": {"verb": "watch"}}.');
  }
  const fault = given as Record<string, unknown>;
  const kinds: readonly string[] = [...REQUEST_FAULTS, ...FRAME_FAULTS];
  if (typeof fault['kind'] !== 'string' || !kinds.includes(fault['kind'])) {
    throw new Error(
      `There is no fault of the kind ${JSON.stringify(fault['kind'])}: it is one of ${kinds.join(', ')}.`,
    );
  }
  const needed = { refuse: 'code', delay: 'ms', stall: 'ms', slow: 'ms' }[fault['kind']];
  for (const field of ['times', 'after', 'chance', 'code', 'ms', 'retryAfterSeconds']) {
    const value = fault[field];
    if (value === undefined ? field === needed : typeof value !== 'number' || !(value >= 0)) {
      throw new Error(`"${field}" of a ${fault['kind']} fault is a number, not ${JSON.stringify(value)}.`);
    }
  }
  const on = fault['on'];
  if (
    on !== undefined &&
    (typeof on !== 'object' || on === null || Object.values(on).some((v) => typeof v !== 'string'))
  ) {
    throw new Error('"on" says which requests are meant: {"verb": "watch", "resource": "pods"}.');
  }
  return fault as unknown as Fault;
}
