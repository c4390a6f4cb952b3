// Azure virtual network flow logs: times in milliseconds, and whether the traffic was encrypted.
import type { Members } from '../row.ts';
import { listOf, tupleFlow, tuplesOf } from './azure-tuples.ts';
import { type Flow, type JsonFormat, objectOf, textOf } from './format.ts';

const NAMES = [
  ...['time', 'src_ip', 'dst_ip', 'src_port', 'dst_port', 'protocol', 'direction', 'flow_state', 'encryption'],
  ...['packets_src_to_dst', 'bytes_src_to_dst', 'packets_dst_to_src', 'bytes_dst_to_src'],
];

export const azureVnet: JsonFormat = {
  name: 'azure-vnet',
  summary: 'Azure virtual network flow logs; each flow tuple becomes a row',
  kind: 'json',
  ends: ['src', 'dst'],
  wrapper: 'records',
  sniff: (beginning) => beginning.includes('"flowRecords"') || beginning.includes('"FlowLogFlowEvent"'),
  flows: (record) => {
    const records = objectOf(record, 'flowRecords');
    if (!Object.hasOwn(records, 'flows')) return undefined;
    const found: Flow[] = [];
    for (const flow of listOf(records, 'flows')) {
      for (const group of listOf(flow, 'flowGroups')) {
        const around: Members = { rule: textOf(group, 'rule') ?? '', mac: textOf(record, 'macAddress') ?? '' };
        for (const tuple of tuplesOf(group)) found.push(tupleFlow(tuple, NAMES, around, 0));
      }
    }
    return found;
  },
};
