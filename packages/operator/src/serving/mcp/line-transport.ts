// Messages of the protocol over two streams, one on a line. Unlike the transport of the protocol's own package it answers
// what is under way when the input ends: a script may write its questions, close the pipe and read the answers.
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  ReadBuffer,
  type RequestId,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';

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
      const buffer = new ReadBuffer();
      for await (const chunk of this.#input) {
        buffer.append(Buffer.from(chunk));
        this.#deliver(buffer);
      }
    } catch (error) {
      this.onerror?.(error as Error);
    }
    this.#isInputOver = true;
    this.#endIfAnswered();
  }

  #deliver(buffer: ReadBuffer): void {
    for (;;) {
      let message: JSONRPCMessage | null;
      try {
        message = buffer.readMessage();
      } catch (error) {
        // One line that is no message: the next ones may be.
        this.onerror?.(error as Error);
        continue;
      }
      if (message === null) return;
      if (isJSONRPCRequest(message)) this.#unanswered.add(message.id);
      this.onmessage?.(message);
      // Nothing is sent for a call that is cancelled: nobody may wait for it.
      const cancelled = cancelledId(message);
      if (cancelled !== undefined) this.#unanswered.delete(cancelled);
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
