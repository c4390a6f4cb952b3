// Reads a line that is too long to be parsed as a whole (a list that was answered, pods with much in them) byte by byte,
// and keeps of it what an action is made of. Memory follows what is kept, not the line. What is left out is not checked;
// what is kept is JSON again, and is checked when it is parsed.

/** Which members of an object are kept: with everything in them, or with some of it. Of an array, the same of each item. */
type Kept = true | { readonly [member: string]: Kept };

const METADATA: Kept = { name: true, generateName: true, uid: true };
const REQUEST: Kept = {
  ...{ kind: true, metadata: METADATA, target: true, deleteOptions: true, dryRun: true, gracePeriodSeconds: true },
  spec: { replicas: true, unschedulable: true, taints: true, template: { metadata: { annotations: true } } },
};
const RESPONSE: Kept = {
  ...{ kind: true, status: true, details: true, items: { metadata: METADATA } },
  metadata: { ...METADATA, namespace: true, labels: true, ownerReferences: true },
  spec: { nodeName: true, hostNetwork: true },
};
const EVENT: Kept = {
  ...{ kind: true, apiVersion: true, level: true, auditID: true, stage: true, requestURI: true, verb: true },
  ...{ user: true, impersonatedUser: true, sourceIPs: true, userAgent: true, objectRef: true, responseStatus: true },
  ...{ requestReceivedTimestamp: true, stageTimestamp: true, annotations: true },
  ...{ requestObject: REQUEST, responseObject: RESPONSE },
};
const LINE: Kept = { ...EVENT, items: EVENT };

interface Frame {
  readonly isArray: boolean;
  /** Undefined: nothing of it is kept. */
  readonly kept: Kept | undefined;
  /** Members or items that were kept. */
  count: number;
}

/** Where in a string the reading stands: outside, in one that is kept or left out, or in the name of a member. */
type InString = 'no' | 'value' | 'key';

/** Names that are kept are short. */
const LONGEST_KEY = 100;
const MOST_KEPT = 4 << 20;
const LONGEST_PREFIX = 128;
/** Of brackets in brackets: more than the API server takes. */
const DEEPEST = 10_000;
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

export class EventSkimmer {
  readonly #frames: Frame[] = [];
  #out = Buffer.allocUnsafe(4096);
  #length = 0;
  #key: number[] = [];
  #inString: InString = 'no';
  #isEscaped = false;
  #expectsKey = false;
  /** Of the value that is to come, or is being read. */
  #kept: Kept | undefined;
  #isInScalar = false;
  #before = 0;
  #state: 'before' | 'within' | 'behind' | 'broken' = 'before';

  push(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length && this.#state !== 'broken'; i++) {
      const byte = bytes[i]!;
      if (this.#inString !== 'no') this.#string(byte);
      else if (byte > 0x20) this.#token(byte);
    }
  }

  /** What was kept, as JSON; or why there is none. */
  end(): { readonly json: Buffer } | { readonly why: string } {
    if (this.#length >= MOST_KEPT) return { why: 'longer than is read' };
    if (this.#state !== 'behind') return { why: 'not JSON, or it breaks off' };
    return { json: this.#out.subarray(0, this.#length) };
  }

  #string(byte: number): void {
    if (this.#inString === 'key') {
      if (this.#key.length <= LONGEST_KEY) this.#key.push(byte);
    } else if (this.#kept !== undefined) this.#write(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#stringEnds();
  }

  #stringEnds(): void {
    const wasKey = this.#inString === 'key';
    this.#inString = 'no';
    if (!wasKey) return;
    const frame = this.#frames.at(-1)!;
    const written = Buffer.from(this.#key);
    this.#kept = memberOf(frame.kept, written);
    if (this.#kept === undefined) return;
    if (frame.count++ > 0) this.#write(COMMA);
    for (const byte of written) this.#write(byte);
    this.#write(COLON);
  }

  #token(byte: number): void {
    if (this.#state === 'before') {
      if (byte === OPEN_BRACE) this.#state = 'within';
      else if (++this.#before > LONGEST_PREFIX) this.#state = 'broken';
      if (this.#state !== 'within') return;
      this.#kept = LINE;
    } else if (this.#state === 'behind') {
      this.#state = 'broken';
      return;
    }
    switch (byte) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        this.#opens(byte);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        this.#closes(byte);
        break;
      case COMMA:
        this.#isInScalar = false;
        this.#expectsKey = this.#frames.at(-1)?.isArray === false;
        break;
      case COLON:
        break;
      case QUOTE:
        this.#quote();
        break;
      default:
        if (!this.#isInScalar) this.#beginsItem();
        this.#isInScalar = true;
        if (this.#kept !== undefined) this.#write(byte);
    }
  }

  #quote(): void {
    this.#inString = this.#expectsKey ? 'key' : 'value';
    if (this.#expectsKey) {
      this.#expectsKey = false;
      this.#key = [QUOTE];
      return;
    }
    this.#beginsItem();
    if (this.#kept !== undefined) this.#write(QUOTE);
  }

  #opens(byte: number): void {
    this.#beginsItem();
    if (this.#kept !== undefined) this.#write(byte);
    if (this.#frames.length >= DEEPEST) this.#state = 'broken';
    this.#frames.push({ isArray: byte === OPEN_BRACKET, kept: this.#kept, count: 0 });
    this.#expectsKey = byte === OPEN_BRACE;
  }

  #closes(byte: number): void {
    const frame = this.#frames.pop();
    this.#isInScalar = false;
    this.#expectsKey = false;
    if (frame === undefined || frame.isArray !== (byte === CLOSE_BRACKET)) {
      this.#state = 'broken';
      return;
    }
    if (frame.kept !== undefined) this.#write(byte);
    if (this.#frames.length === 0) this.#state = 'behind';
  }

  /** The items of an array are kept as it is. */
  #beginsItem(): void {
    const frame = this.#frames.at(-1);
    if (frame?.isArray !== true) return;
    this.#kept = frame.kept;
    if (this.#kept !== undefined && frame.count++ > 0) this.#write(COMMA);
  }

  #write(byte: number): void {
    if (this.#length >= MOST_KEPT) {
      this.#state = 'broken';
      return;
    }
    if (this.#length === this.#out.length) this.#out = Buffer.concat([this.#out, Buffer.allocUnsafe(this.#out.length)]);
    this.#out[this.#length++] = byte;
  }
}

/** By the name as it is written, escapes and all. */
function memberOf(kept: Kept | undefined, written: Buffer): Kept | undefined {
  if (kept === undefined || kept === true) return kept;
  let name: unknown;
  try {
    name = JSON.parse(written.toString());
  } catch {
    return undefined;
  }
  return typeof name === 'string' && Object.hasOwn(kept, name) ? kept[name] : undefined;
}
