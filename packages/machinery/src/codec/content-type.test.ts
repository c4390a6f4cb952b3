import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonCodec, metadataCodec, podCodec } from './codec.ts';
import { acceptHeader, bodyFormat, jsonOnly } from './content-type.ts';

describe('content types', () => {
  it('are protobuf only when they say so; all else is tried as JSON', () => {
    assert.equal(bodyFormat('application/vnd.kubernetes.protobuf'), 'protobuf');
    assert.equal(bodyFormat('Application/vnd.kubernetes.protobuf ; stream=watch'), 'protobuf');
    for (const other of ['application/json', 'application/json;stream=watch', 'text/html', '', undefined]) {
      assert.equal(bodyFormat(other), 'json');
    }
  });

  it('are asked for by codec: protobuf first where there is a reader, metadata by its form', () => {
    assert.equal(acceptHeader(podCodec, 'watch'), 'application/vnd.kubernetes.protobuf,application/json');
    assert.equal(acceptHeader(jsonCodec('example.com/v1', 'Widget'), 'list'), 'application/json');
    assert.equal(acceptHeader(jsonOnly(podCodec), 'list'), 'application/json');
    assert.match(acceptHeader(metadataCodec, 'list'), /protobuf;as=PartialObjectMetadataList;g=meta\.k8s\.io;v=v1,/);
    assert.match(acceptHeader(metadataCodec, 'watch'), /json;as=PartialObjectMetadata;g=meta\.k8s\.io;v=v1$/);
  });
});
