// What is filled in when a CustomResourceDefinition is created. Its schemas are kept and check nothing.
import { ensureObject, setDefaults, textAt } from '../json-object.ts';
import { PLAIN_RULES, type ResourceRules } from './resource-rules.ts';

export const definitionRules: ResourceRules = {
  ...PLAIN_RULES,
  generation: true,
  separateStatus: true,
  answersDeletionWith: 'object',
  prepareCreate(draft) {
    const spec = ensureObject(draft, 'spec');
    const names = ensureObject(spec, 'names');
    const kind = textAt(names, 'kind');
    setDefaults(spec, { conversion: { strategy: 'None' } });
    setDefaults(names, { singular: kind.toLowerCase(), listKind: `${kind}List` });
    delete draft['status'];
  },
  validate(draft) {
    const name = textAt(draft, 'metadata', 'name');
    if (name === `${textAt(draft, 'spec', 'names', 'plural')}.${textAt(draft, 'spec', 'group')}`) return [];
    const detail = 'must be spec.names.plural+"."+spec.group';
    return [{ field: 'metadata.name', reason: 'Invalid', value: JSON.stringify(name), detail }];
  },
};
