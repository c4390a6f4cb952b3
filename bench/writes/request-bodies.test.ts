import assert from 'node:assert/strict';
import { test } from 'node:test';
import { since, sumSent } from './request-bodies.ts';

const PAGE = `# TYPE apiserver_request_body_size_bytes histogram
apiserver_request_body_size_bytes_bucket{group="podtrail.dev",resource="podtrackers",verb="patch",le="50000"} 9
apiserver_request_body_size_bytes_sum{group="podtrail.dev",resource="podtrackers",verb="patch"} 1200
apiserver_request_body_size_bytes_count{group="podtrail.dev",resource="podtrackers",verb="patch"} 9
apiserver_request_body_size_bytes_sum{group="podtrail.dev",resource="podtrackerslices",verb="create"} 1e+06
apiserver_request_body_size_bytes_count{group="podtrail.dev",resource="podtrackerslices",verb="create"} 20
apiserver_request_body_size_bytes_sum{group="",resource="configmaps",verb="create"} 7
`;

test('sums and counts of the named resources are added up, and no others', () => {
  assert.deepEqual(sumSent(PAGE, ['podtrackers', 'podtrackerslices']), { requests: 29, bytes: 1_001_200 });
  assert.deepEqual(sumSent(PAGE, ['configmaps']), { requests: 0, bytes: 7 });
  assert.deepEqual(since({ requests: 1, bytes: 10 }, { requests: 3, bytes: 10 }), { requests: 2, bytes: 0 });
});
