// AWS CloudTrail: `Records` of one document, or events as lines. A service that acts by itself has its name where others
// have an address: such a row asks nothing.
import { type JsonFormat, textOf, timeOf } from './format.ts';

const ADDRESS = /^[0-9a-fA-F]*[.:][0-9a-fA-F.:]+$/;

export const cloudtrail: JsonFormat = {
  name: 'cloudtrail',
  summary: 'AWS CloudTrail events',
  kind: 'json',
  ends: ['src'],
  wrapper: 'Records',
  sniff: (beginning) => beginning.includes('"eventSource"') && beginning.includes('"sourceIPAddress"'),
  flows: (record) => {
    const start = timeOf(record, 'eventTime');
    if (start === undefined) return undefined;
    const source = textOf(record, 'sourceIPAddress');
    const address = source !== undefined && ADDRESS.test(source) ? source : undefined;
    // Its times are whole seconds.
    return [{ ends: [{ address, sent: true }], start, lasted: 999 }];
  },
};
