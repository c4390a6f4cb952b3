// Undoes the Content-Encoding of a buffered answer, with a bound: a small body that unpacks to gigabytes is an error and
// not the end of the process.
import { gunzip } from 'node:zlib';
import { DecodeError } from '../errors.ts';
import { type RawAnswer, tooLarge } from './buffered-call.ts';

/** The only one we ask for, and the only one that API servers know. */
export const ACCEPTED_ENCODING = 'gzip';

export async function decodeBody(answer: RawAnswer, doing: string, maxBytes: number): Promise<Buffer> {
  const encoding = String(answer.headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase();
  // An answer to HEAD names the encoding that a body would have.
  if (encoding === '' || encoding === 'identity' || answer.body.length === 0) return answer.body;
  if (encoding !== ACCEPTED_ENCODING) {
    throw new DecodeError(`${doing}: the answer is encoded as ${encoding}, which was not asked for`, {
      hint: 'is there a proxy in front of the API server that compresses on its own?',
    });
  }
  return await new Promise((resolve, reject) => {
    gunzip(answer.body, { maxOutputLength: maxBytes }, (error, body) => {
      if (error === null) resolve(body);
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge(doing, maxBytes));
      else {
        const hint =
          'a proxy in between may have cut or changed it; disable-compression in the kubeconfig avoids gzip.';
        reject(new DecodeError(`${doing}: the answer's gzip body is broken`, { cause: error, hint }));
      }
    });
  });
}
