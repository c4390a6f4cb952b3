// One connection of the fuzzer: sends a request, waits for the end of its answer, and goes on; on a new connection where the
// server has closed it, or where nobody can say where an answer ends.
import type { Socket } from 'node:net';
import type { FuzzedRequest } from './fuzzed-request.ts';

/** A server that says nothing for so long has not answered. */
const PATIENCE_MS = 30_000;
/** Between the parts of a request. */
const PAUSE_MS = 2;

/** `closed`: hung up without a word, as it may on what is no HTTP. `late`: nothing came. */
export type Outcome = number | 'closed' | 'late' | 'refused';

export class RequestLane {
  readonly #connect: () => Promise<Socket>;
  #socket: Socket | undefined;

  /** `connect` resolves once requests can be sent. */
  constructor(connect: () => Promise<Socket>) {
    this.#connect = connect;
  }

  async send({ bytes, isEndless, isNonsense, sent }: FuzzedRequest): Promise<Outcome> {
    const socket = await this.#open();
    if (socket === undefined) return 'refused';
    const isHead = bytes.subarray(0, 5).toString('latin1') === 'HEAD ';
    const answered = answerOf(socket, isEndless, isHead);
    if (sent === 'in-parts') {
      const half = Math.floor(bytes.length / 2);
      socket.write(bytes.subarray(0, half));
      setTimeout(() => socket.write(bytes.subarray(half)), PAUSE_MS);
    } else {
      // Of those that are sent ahead the first answer is waited for, and the others are hung up on.
      socket.write(sent === 'ahead' ? Buffer.concat([bytes, bytes, bytes, bytes]) : bytes);
    }
    if (isNonsense || sent === 'half-closed') setTimeout(() => socket.end(), PAUSE_MS * 2);
    const outcome = await answered;
    if (isEndless || isNonsense || sent !== 'whole' || outcome.mustClose) this.close();
    return outcome.status;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #open(): Promise<Socket | undefined> {
    if (this.#socket !== undefined && !this.#socket.destroyed && this.#socket.writable) return this.#socket;
    const socket = await this.#connect().catch(() => undefined);
    this.#socket = socket;
    // A server may close at any time.
    socket?.on('error', () => {});
    return socket;
  }
}

interface Answer {
  readonly status: Outcome;
  readonly mustClose: boolean;
}

function answerOf(socket: Socket, isEndless: boolean, isHead: boolean): Promise<Answer> {
  return new Promise((resolve) => {
    let text = '';
    const done = (answer: Answer) => {
      clearTimeout(late);
      socket.off('data', onData).off('close', onClose);
      resolve(answer);
    };
    const late = setTimeout(() => done({ status: 'late', mustClose: true }), PATIENCE_MS);
    const onClose = () => done({ status: statusOf(text) ?? 'closed', mustClose: true });
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const end = endOf(text, isEndless, isHead);
      if (end !== undefined) done(end);
    };
    socket.on('data', onData).on('close', onClose);
  });
}

function endOf(text: string, isEndless: boolean, isHead: boolean): Answer | undefined {
  const status = statusOf(text);
  const headEnd = text.indexOf('\r\n\r\n');
  if (status === undefined || headEnd === -1) return undefined;
  const head = text.slice(0, headEnd).toLowerCase();
  const body = text.slice(headEnd + 4);
  if (status === 100) return endOf(body, isEndless, isHead);
  const mustClose = /\r\nconnection: close/.test(head);
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  const isWhole =
    isEndless ||
    isHead ||
    status === 304 ||
    (length === undefined ? body.endsWith('0\r\n\r\n') : body.length >= Number(length));
  return isWhole ? { status, mustClose } : undefined;
}

function statusOf(text: string): number | undefined {
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1];
  return status === undefined ? undefined : Number(status);
}
