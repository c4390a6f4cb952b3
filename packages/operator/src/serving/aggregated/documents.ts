// The documents about the API itself, by what was asked for.
import {
  aggregatedType,
  aggregatedVersion,
  apiGroup,
  apiGroupDiscovery,
  apiGroupList,
  apiResourceList,
} from './discovery.ts';
import { openApiV2, openApiV3, openApiV3Index } from './open-api.ts';
import type { Target } from './request-path.ts';

export type DocumentKind = Exclude<Target['kind'], 'list' | 'object' | 'attribution'>;

export interface ApiDocument {
  readonly body: object;
  /** Where it is not plain JSON. */
  readonly type?: string;
}

export function apiDocument(kind: DocumentKind, accept: string | undefined): ApiDocument {
  switch (kind) {
    case 'groups': {
      const version = aggregatedVersion(accept);
      if (version === undefined) return { body: apiGroupList() };
      return { body: apiGroupDiscovery(version), type: aggregatedType(version) };
    }
    case 'group':
      return { body: apiGroup() };
    case 'resources':
      return { body: apiResourceList() };
    case 'openapi-v2':
      return { body: openApiV2() };
    case 'openapi-v3':
      return { body: openApiV3Index() };
    case 'openapi-v3-group':
      return { body: openApiV3() };
  }
}
