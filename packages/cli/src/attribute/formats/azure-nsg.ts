// Azure network security group flow logs, version 1 and 2: times in whole seconds.
import type { Members } from '../row.ts';
import { listOf, tupleFlow, tuplesOf } from './azure-tuples.ts';
import { type Flow, type JsonFormat, objectOf, textOf } from './format.ts';

const NAMES = [
  ...['time', 'src_ip', 'dst_ip', 'src_port', 'dst_port', 'protocol', 'direction', 'decision', 'flow_state'],
  ...['packets_src_to_dst', 'bytes_src_to_dst', 'packets_dst_to_src', 'bytes_dst_to_src'],
];

export const azureNsg: JsonFormat = {
  name: 'azure-nsg',
  summary: 'Azure network security group flow logs; each flow tuple becomes a row',
  kind: 'json',
  ends: ['src', 'dst'],
  wrapper: 'records',
  sniff: (beginning) => beginning.includes('"NetworkSecurityGroupFlowEvent"') && beginning.includes('"flows"'),
  flows: (record) => {
    const properties = objectOf(record, 'properties');
    if (!Object.hasOwn(properties, 'flows')) return undefined;
    const found: Flow[] = [];
    for (const group of listOf(properties, 'flows')) {
      for (const flow of listOf(group, 'flows')) {
        const around: Members = { rule: textOf(group, 'rule') ?? '', mac: textOf(flow, 'mac') ?? '' };
        for (const tuple of tuplesOf(flow)) found.push(tupleFlow(tuple, NAMES, around, 999));
      }
    }
    return found;
  },
};
