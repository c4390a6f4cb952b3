// The documents about the API itself, as routes: discovery and OpenAPI, for whoever is known. API servers and kubectl read
// them before they ask anything, so they are not counted against anybody's rate.
import { jsonReply } from '../http/reply.ts';
import type { Route } from '../http/route.ts';
import {
  aggregatedType,
  aggregatedVersion,
  apiGroup,
  apiGroupDiscovery,
  apiGroupList,
  apiResourceList,
} from './discovery.ts';
import { GROUP, GROUP_VERSION } from './history-object.ts';
import { openApiV2, openApiV3, openApiV3Index } from './open-api.ts';

interface ApiDocument {
  readonly body: object;
  /** Where it is not plain JSON. */
  readonly type?: string;
}

const DOCUMENTS: Readonly<Record<string, (accept: string | undefined) => ApiDocument>> = {
  '/apis': groups,
  [`/apis/${GROUP}`]: () => ({ body: apiGroup() }),
  [`/apis/${GROUP_VERSION}`]: () => ({ body: apiResourceList() }),
  '/openapi/v2': () => ({ body: openApiV2() }),
  '/openapi/v3': () => ({ body: openApiV3Index() }),
  [`/openapi/v3/apis/${GROUP_VERSION}`]: () => ({ body: openApiV3() }),
};

export function documentRoutes(): readonly Route[] {
  return Object.entries(DOCUMENTS).map(([path, document]) => ({
    ...{ method: 'GET', path, isFree: true },
    handle: async ({ headers }) => {
      const { body, type } = document(headers.accept);
      return jsonReply(body, type === undefined ? {} : { headers: { 'content-type': type } });
    },
  }));
}

function groups(accept: string | undefined): ApiDocument {
  const version = aggregatedVersion(accept);
  if (version === undefined) return { body: apiGroupList() };
  return { body: apiGroupDiscovery(version), type: aggregatedType(version) };
}
