import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DecodeError } from '../errors.ts';
import { encodeMessage, varint } from '../testing/protobuf-writer.ts';
import { ProtoReader } from './proto-reader.ts';

/** The bytes stand between others that no read may touch. */
function over(...bytes: number[]): ProtoReader {
  const r = new ProtoReader();
  r.begin(Buffer.from([0x0a, 0x7f, ...bytes, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08]), 2, 2 + bytes.length);
  return r;
}

function walk(r: ProtoReader): void {
  while (r.pos < r.limit) r.skip(r.tag());
}

const malformed: Record<string, number[]> = {
  'a tag that is cut off': [0x80],
  'field number 0': [0x02, 0x00],
  'field number 0 in two bytes': [0x82, 0x00, 0x00],
  'a field number over 2^29': [0x82, 0x80, 0x80, 0x80, 0x10, 0x00],
  'no value after a tag': [0x08],
  'a varint that is cut off': [0x08, 0xff, 0xff],
  'a varint of eleven bytes': [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  'a varint over 64 bits': [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],
  'no length after a tag': [0x0a],
  'a length past the end': [0x0a, 0x05, 0x61],
  'a length of 2^32 + 1, which 32 bits would take for 1': [0x0a, 0x81, 0x80, 0x80, 0x80, 0x10, 0x61],
  'a negative length': [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x61],
  'a fixed64 that is cut off': [0x09, 1, 2, 3, 4, 5, 6, 7],
  'a fixed32 that is cut off': [0x0d, 1, 2, 3],
  'a group': [0x0b, 0x0c],
  'the end of a group': [0x0c],
  'wire type 6': [0x0e, 0x00],
  'wire type 7': [0x0f, 0x00],
};

describe('ProtoReader', () => {
  for (const [what, bytes] of Object.entries(malformed)) {
    it(`refuses ${what}`, () => {
      assert.throws(() => walk(over(...bytes)), DecodeError);
    });
  }

  it('skips every wire type that proto3 has', () => {
    const r = over(0x08, 0x96, 0x01, 0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x12, 0x02, 0x61, 0x62, 0x1d, 1, 2, 3, 4);
    walk(r);
    assert.equal(r.pos, r.limit);
  });

  it('reads signed integers of 32 and 64 bits', () => {
    for (const value of [
      0,
      1,
      127,
      128,
      16_384,
      2 ** 28,
      2 ** 31 - 1,
      2 ** 32,
      2 ** 35,
      2 ** 53,
      -1,
      -128,
      -(2 ** 40),
    ]) {
      const r = over(0x08, ...varint(value));
      assert.equal(r.int64(r.tag()), value);
      assert.equal(r.pos, r.limit);
    }
    for (const value of [-1, -(2 ** 31), 2 ** 31 - 1]) {
      const r = over(0x08, ...varint(value));
      assert.equal(r.int32(r.tag()), value);
    }
  });

  it('refuses a known field of another wire type rather than skipping it', () => {
    const number = over(0x08, 0x01);
    assert.throws(() => number.text(number.tag()), DecodeError);
    const text = over(0x0a, 0x01, 0x61);
    assert.throws(() => text.int64(text.tag()), DecodeError);
  });

  it('does not let an embedded message reach past its own end', () => {
    // The inner string claims two bytes; the second lies outside of the message, though inside of the outer one.
    const r = over(0x0a, 0x03, 0x0a, 0x02, 0x61, 0x62);
    const outer = r.enter(r.tag());
    assert.throws(() => r.text(r.tag()), DecodeError);
    r.leave(outer);
  });

  it('refuses a range outside of its bytes', () => {
    const r = new ProtoReader();
    for (const [start, end] of [
      [-1, 2],
      [0, 5],
      [3, 2],
      [0.5, 2],
      [Number.NaN, 2],
    ] as const) {
      assert.throws(() => r.begin(Buffer.alloc(4), start, end), DecodeError);
    }
  });

  it('reads times in milliseconds: whole seconds, before 1970 too, and "not set" as undefined', () => {
    const time = (bytes: Buffer, how: 'time' | 'microTime') => {
      const r = over(0x0a, bytes.length, ...bytes);
      return r[how](r.tag());
    };
    const written = (text: string) => encodeMessage('Running', { startedAt: text }).subarray(2);
    assert.equal(time(written('2026-11-15T10:05:00Z'), 'time'), Date.UTC(2026, 10, 15, 10, 5));
    assert.equal(time(written('2026-11-15T10:05:00Z'), 'time'), Date.UTC(2026, 10, 15, 10, 5));
    // 1024 seconds later: the same slot of the table of shared times.
    assert.equal(time(written('2026-11-15T10:22:04Z'), 'time'), Date.UTC(2026, 10, 15, 10, 22, 4));
    assert.equal(time(written('1969-12-31T23:59:59Z'), 'time'), -1000);
    assert.equal(time(written('1970-01-01T00:00:00Z'), 'time'), 0);
    assert.equal(time(written('2026-11-15T10:05:00.123456Z'), 'microTime'), Date.UTC(2026, 10, 15, 10, 5, 0, 123));
    assert.equal(time(written('0001-01-01T00:00:00Z'), 'time'), undefined);
    assert.equal(time(Buffer.alloc(0), 'time'), undefined);
    assert.equal(time(Buffer.alloc(0), 'microTime'), undefined);
  });
});
