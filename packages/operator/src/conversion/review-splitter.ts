// Finds the objects of a ConversionReview in its bytes as they arrive, so that each can be parsed, converted and let go
// of on its own. Reads structure only: what is inside of an object is checked when it is parsed. Refuses what no API
// server sends before it costs anything: deep nesting, huge objects, objects of very many values.

/** The body is no review, or one that no API server sends. */
export class ReviewFault extends Error {
  readonly status: 400 | 413;

  constructor(status: 400 | 413, message: string) {
    super(message);
    this.status = status;
  }
}

/** Of bytes: from, and up to but not including. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface SplitReview {
  readonly kind: Range;
  readonly uid: Range;
  readonly desiredAPIVersion: Range;
  readonly objects: readonly Range[];
}

/** The body limit of API servers is 3 MiB, that of etcd 1.5 MiB: an object that they send is within both. */
const LARGEST_OBJECT = 4 * 1024 * 1024;
/** A full tracker has about 4,000. Parsed, a value takes up to a hundred bytes. */
const MOST_VALUES = 100_000;
/** API servers list 500 at a time. */
const MOST_OBJECTS = 10_000;
const DEEPEST = 64;
const LONGEST_KEY = 32;
/** Where the elements of request.objects are: in the review, in its request, in the list. */
const OBJECT_DEPTH = 3;

const SIGN = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  list: 0x5b,
  escape: 0x5c,
  listEnd: 0x5d,
  open: 0x7b,
  close: 0x7d,
};

/** What may come next. */
type Expects = 'value' | 'key' | 'colon' | 'comma';

export class ReviewSplitter {
  readonly #isList = new Uint8Array(DEEPEST + 1);
  readonly #found = new Map<string, Range>();
  readonly #objects: Range[] = [];
  /** Keys on the way to here, of the outer two levels. */
  readonly #path = ['', ''];
  #at = 0;
  #depth = 0;
  #expects: Expects = 'value';
  /** A container may end before its first value, and not after a comma. */
  #mayEnd = false;
  #inString = false;
  #isKey = false;
  #escaped = false;
  #inScalar = false;
  #key = '';
  #valueStart = 0;
  #values = 0;

  /** Throws a ReviewFault as soon as it is certain that this is no review. */
  push(chunk: Buffer): void {
    const { length } = chunk;
    let i = 0;
    while (i < length) {
      if (this.#inString) {
        i = this.#string(chunk, i);
        continue;
      }
      const byte = chunk[i] as number;
      i++;
      this.#at++;
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) this.#endScalar(this.#at - 1);
      else this.#sign(byte);
    }
    const isInside = this.#depth > OBJECT_DEPTH && this.#isInObjects();
    if (isInside && this.#at - this.#valueStart > LARGEST_OBJECT) throw tooLarge();
  }

  /** After the last byte. */
  end(): SplitReview {
    this.#endScalar(this.#at);
    const [kind, uid, desiredAPIVersion] = ['kind', 'request.uid', 'request.desiredAPIVersion'].map((name) =>
      this.#found.get(name),
    );
    const isWhole = this.#depth === 0 && !this.#inString && this.#expects === 'comma';
    const hasObjects = this.#found.has('request.objects');
    if (!isWhole || !hasObjects || kind === undefined || uid === undefined || desiredAPIVersion === undefined)
      throw notReview();
    return { kind, uid, desiredAPIVersion, objects: this.#objects };
  }

  /** The rest of a string, as far as it is here. */
  #string(chunk: Buffer, from: number): number {
    let i = from;
    for (; i < chunk.length; i++) {
      const byte = chunk[i] as number;
      if (this.#escaped) this.#escaped = false;
      else if (byte === SIGN.escape) this.#escaped = true;
      else if (byte === SIGN.quote) {
        this.#at += i + 1 - from;
        this.#endString();
        return i + 1;
      }
      if (this.#isKey && this.#depth <= 2 && this.#key.length <= LONGEST_KEY) this.#key += String.fromCharCode(byte);
    }
    this.#at += i - from;
    return i;
  }

  #endString(): void {
    this.#inString = false;
    if (!this.#isKey) {
      this.#endValue(this.#at);
      return;
    }
    if (this.#depth <= 2) this.#path[this.#depth - 1] = this.#key;
    this.#expects = 'colon';
  }

  #sign(byte: number): void {
    switch (byte) {
      case SIGN.quote:
        this.#endScalar(this.#at - 1);
        this.#inString = true;
        this.#isKey = this.#expects === 'key';
        if (this.#isKey) this.#key = '';
        else this.#beginValue();
        this.#mayEnd = false;
        return;
      case SIGN.open:
      case SIGN.list:
        this.#endScalar(this.#at - 1);
        this.#beginValue();
        if (++this.#depth > DEEPEST) throw new ReviewFault(400, 'the review is nested too deeply');
        this.#isList[this.#depth] = byte === SIGN.list ? 1 : 0;
        this.#expects = byte === SIGN.list ? 'value' : 'key';
        this.#mayEnd = true;
        if (this.#depth <= 2) this.#path[this.#depth - 1] = '';
        return;
      case SIGN.close:
      case SIGN.listEnd: {
        this.#endScalar(this.#at - 1);
        const isList = byte === SIGN.listEnd ? 1 : 0;
        const mayEnd = this.#expects === 'comma' || this.#mayEnd;
        if (this.#depth === 0 || this.#isList[this.#depth] !== isList || !mayEnd) throw notReview();
        this.#depth--;
        this.#mayEnd = false;
        this.#endValue(this.#at);
        return;
      }
      case SIGN.comma:
        this.#endScalar(this.#at - 1);
        if (this.#expects !== 'comma' || this.#depth === 0) throw notReview();
        this.#expects = this.#isList[this.#depth] === 1 ? 'value' : 'key';
        this.#mayEnd = false;
        return;
      case SIGN.colon:
        if (this.#expects !== 'colon') throw notReview();
        this.#expects = 'value';
        return;
      default:
        if (this.#inScalar) return;
        this.#beginValue();
        this.#inScalar = true;
        this.#mayEnd = false;
    }
  }

  #beginValue(): void {
    if (this.#expects !== 'value') throw notReview();
    if (this.#depth <= 2 || (this.#depth === OBJECT_DEPTH && this.#isInObjects())) {
      this.#valueStart = this.#at - 1;
      this.#values = 0;
    } else if (++this.#values > MOST_VALUES) throw new ReviewFault(413, 'an object of the review has too many values');
  }

  #endScalar(end: number): void {
    if (!this.#inScalar) return;
    this.#inScalar = false;
    this.#endValue(end);
  }

  #endValue(end: number): void {
    this.#expects = 'comma';
    const [outer, inner] = this.#path;
    if (this.#depth === 1 && outer === 'kind') this.#find('kind', end);
    else if (this.#depth === 2 && outer === 'request') this.#find(`request.${inner}`, end);
    else if (this.#depth === OBJECT_DEPTH && this.#isInObjects()) {
      if (end - this.#valueStart > LARGEST_OBJECT) throw tooLarge();
      if (this.#objects.push({ start: this.#valueStart, end }) > MOST_OBJECTS)
        throw new ReviewFault(413, 'the review has too many objects');
    }
  }

  #find(name: string, end: number): void {
    // Twice the same field, and nobody can say which is meant.
    if (this.#found.has(name)) throw notReview();
    if (this.#found.size < LONGEST_KEY) this.#found.set(name, { start: this.#valueStart, end });
  }

  #isInObjects(): boolean {
    return this.#isList[OBJECT_DEPTH] === 1 && this.#path[0] === 'request' && this.#path[1] === 'objects';
  }
}

function notReview(): ReviewFault {
  return new ReviewFault(400, 'the body is no ConversionReview');
}

function tooLarge(): ReviewFault {
  return new ReviewFault(413, `an object of the review is larger than ${LARGEST_OBJECT} bytes`);
}
