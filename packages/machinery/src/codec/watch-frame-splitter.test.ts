import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DecodeError } from '../errors.ts';
import { frame } from '../testing/protobuf-writer.ts';
import {
  JsonLineSplitter,
  type OnFrame,
  ProtobufFrameSplitter,
  type WatchFrameSplitter,
} from './watch-frame-splitter.ts';

const seed = 20262;
const formats = {
  protobuf: {
    make: (onFrame: OnFrame, largest?: number): WatchFrameSplitter => new ProtobufFrameSplitter(onFrame, largest),
    wrap: frame,
  },
  JSON: {
    make: (onFrame: OnFrame, largest?: number): WatchFrameSplitter => new JsonLineSplitter(onFrame, largest),
    wrap: (line: Buffer) => Buffer.concat([line, Buffer.from('\n')]),
  },
};

for (const [format, { make, wrap }] of Object.entries(formats)) {
  const collect = (largest?: number) => {
    const frames: string[] = [];
    const splitter = make((bytes, start, end) => frames.push(bytes.toString('utf8', start, end)), largest);
    return { frames, splitter };
  };

  describe(`the ${format} frame splitter (seed ${seed})`, () => {
    it('fault 12: finds the same frames however the stream is cut, and keeps nothing of a chunk', () => {
      fc.assert(
        fc.property(
          fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), { maxLength: 8 }),
          fc.array(fc.nat(400), { maxLength: 30 }),
          (texts, cuts) => {
            const sent = texts.map((text) => text.replaceAll(/\s/g, '_'));
            const stream = Buffer.concat(sent.map((text) => wrap(Buffer.from(text))));
            const { frames, splitter } = collect();
            const edges = [0, ...cuts.map((cut) => Math.min(cut, stream.length)), stream.length].sort((a, b) => a - b);
            for (let i = 1; i < edges.length; i++) {
              const chunk = Buffer.from(stream.subarray(edges[i - 1], edges[i]));
              splitter.push(chunk);
              chunk.fill(0);
            }
            splitter.end();
            assert.deepEqual(frames, sent);
          },
        ),
        { seed, numRuns: 500 },
      );
    });

    it('assembles a frame that is larger than any chunk, byte by byte', () => {
      const { frames, splitter } = collect();
      const large = 'ü'.repeat(100_000);
      const stream = Buffer.concat([wrap(Buffer.from('before')), wrap(Buffer.from(large)), wrap(Buffer.from('after'))]);
      for (let i = 0; i < stream.length; i += 997) splitter.push(stream.subarray(i, i + 997));
      splitter.end();
      assert.deepEqual(frames, ['before', large, 'after']);
    });

    it('fault 12: says that a stream ended inside of a frame', () => {
      const stream = wrap(Buffer.from('{"a":1}'));
      for (let length = 1; length < stream.length; length++) {
        const { frames, splitter } = collect();
        splitter.push(stream.subarray(0, length));
        assert.throws(() => splitter.end(), DecodeError, `after ${length} bytes`);
        assert.deepEqual(frames, []);
      }
      const { splitter } = collect();
      splitter.push(stream);
      splitter.end();
    });

    it('refuses a frame over its limit before keeping it', () => {
      const { frames, splitter } = collect(10);
      splitter.push(wrap(Buffer.from('0123456789')));
      assert.throws(() => {
        for (const byte of wrap(Buffer.from('0123456789x'))) splitter.push(Buffer.from([byte]));
      }, DecodeError);
      assert.deepEqual(frames, ['0123456789']);
    });

    it('lets pass what its consumer throws, and takes nothing after that', () => {
      const splitter = make(() => {
        throw new RangeError('consumer');
      });
      assert.throws(() => splitter.push(wrap(Buffer.from('x'))), RangeError);
      assert.throws(() => splitter.push(wrap(Buffer.from('x'))), DecodeError);
      assert.throws(() => splitter.end(), DecodeError);
    });
  });
}

describe('the protobuf frame splitter', () => {
  it('takes the text of a proxy for what it is: an impossible length', () => {
    const splitter = new ProtobufFrameSplitter(() => assert.fail('no frame'));
    assert.throws(() => splitter.push(Buffer.from('<html>')), /larger than the allowed/);
  });

  it('refuses an empty frame', () => {
    const splitter = new ProtobufFrameSplitter(() => assert.fail('no frame'));
    assert.throws(() => splitter.push(Buffer.alloc(5)), DecodeError);
  });
});

describe('the JSON frame splitter', () => {
  it('passes over blank lines and carriage returns', () => {
    const frames: string[] = [];
    const splitter = new JsonLineSplitter((bytes, start, end) =>
      frames.push(bytes.toString('utf8', start, end).trim()),
    );
    splitter.push(Buffer.from('\n{"a":1}\r\n\r\n  \n{"b":2}\n  '));
    splitter.end();
    assert.deepEqual(frames, ['{"a":1}', '{"b":2}']);
  });
});
