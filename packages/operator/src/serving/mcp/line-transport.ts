// Messages of the protocol over two streams, one on a line. Unlike the transport of the protocol's own package it answers
// what is under way when the input ends: a script may write its questions, close the pipe and read the answers.
import {
  deserializeMessage,
  INVALID_REQUEST,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  PARSE_ERROR,
  type RequestId,
  STDIO_DEFAULT_MAX_BUFFER_SIZE,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';

const LINE_FEED = 10;

export class LineTransport implements Transport {
  onmessage: Transport['onmessage'];
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  readonly #input: AsyncIterable<Uint8Array>;
  readonly #write: (text: string) => Promise<void>;
  readonly #unanswered = new Set<RequestId>();
  readonly #done = Promise.withResolvers<void>();
  #isInputOver = false;

  constructor(input: AsyncIterable<Uint8Array>, write: (text: string) => Promise<void>) {
    this.#input = input;
    this.#write = write;
  }

  /** Resolves when the input has ended and every request is answered, or when nobody reads the answers any more. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  async start(): Promise<void> {
    void this.#read();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#write(serializeMessage(message));
    } catch {
      this.#done.resolve();
    }
    if ('id' in message && !('method' in message) && message.id !== undefined) this.#unanswered.delete(message.id);
    this.#endIfAnswered();
  }

  async close(): Promise<void> {
    this.#done.resolve();
    this.onclose?.();
  }

  async #read(): Promise<void> {
    try {
      // Bounded: a line that is longer than ten megabytes is no message of this protocol.
      let rest: Buffer = Buffer.alloc(0);
      for await (const chunk of this.#input) {
        rest = Buffer.concat([rest, chunk]);
        for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
          const line = rest.toString('utf8', 0, end).trim();
          rest = rest.subarray(end + 1);
          if (line !== '') await this.#deliver(line);
        }
        if (rest.length > STDIO_DEFAULT_MAX_BUFFER_SIZE) throw new Error('a line is longer than ten megabytes');
      }
    } catch (error) {
      this.onerror?.(error as Error);
    }
    this.#isInputOver = true;
    this.#endIfAnswered();
  }

  async #deliver(line: string): Promise<void> {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch (error) {
      // One line that is no message: the next ones may be. Who sent it may wait for an answer.
      await this.#refuse(line, error);
      return;
    }
    if (isJSONRPCRequest(message)) this.#unanswered.add(message.id);
    this.onmessage?.(message);
    // Nothing is sent for a call that is cancelled: nobody may wait for it.
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) this.#unanswered.delete(cancelled);
  }

  async #refuse(line: string, error: unknown): Promise<void> {
    const refusal =
      error instanceof SyntaxError
        ? { id: null, error: { code: PARSE_ERROR, message: 'the line is no JSON' } }
        : { id: idIn(line), error: { code: INVALID_REQUEST, message: 'the line is no message of JSON-RPC 2.0' } };
    this.onerror?.(error as Error);
    try {
      await this.#write(`${JSON.stringify({ jsonrpc: '2.0', ...refusal })}\n`);
    } catch {
      this.#done.resolve();
    }
  }

  #endIfAnswered(): void {
    if (this.#isInputOver && this.#unanswered.size === 0) this.#done.resolve();
  }
}

function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return undefined;
  return message.params?.['requestId'] as RequestId | undefined;
}

/** Of JSON that is no message: null where it has none. */
function idIn(line: string): string | number | null {
  const { id } = (JSON.parse(line) ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
