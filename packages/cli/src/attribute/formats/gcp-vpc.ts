// Google Cloud VPC flow logs: log entries with the flow in jsonPayload, as JSON lines (Cloud Storage) or as one array
// (gcloud logging read). A record has one direction.
import { type JsonFormat, objectOf, textOf, timeOf } from './format.ts';

export const gcpVpc: JsonFormat = {
  name: 'gcp-vpc',
  summary: 'Google Cloud VPC flow logs',
  kind: 'json',
  ends: ['src', 'dst'],
  sniff: (beginning) =>
    beginning.includes('"jsonPayload"') && (/vpc_flows/.test(beginning) || /"dest_ip"/.test(beginning)),
  flows: (record) => {
    const payload = objectOf(record, 'jsonPayload');
    const connection = objectOf(payload, 'connection');
    const start = timeOf(payload, 'start_time') ?? timeOf(record, 'timestamp');
    if (start === undefined) return undefined;
    return [
      {
        ends: [
          { address: textOf(connection, 'src_ip'), sent: true },
          { address: textOf(connection, 'dest_ip'), sent: false },
        ],
        start,
        end: timeOf(payload, 'end_time'),
      },
    ];
  },
};
