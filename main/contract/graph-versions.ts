/** Versions of Meta's Graph API that are known, oldest first. When each ends is in `engines/official/graph-versions.ts`. */
export const GRAPH_VERSIONS = ['v20.0', 'v21.0', 'v22.0', 'v23.0', 'v24.0', 'v25.0', 'v26.0'] as const
export type GraphVersion = (typeof GRAPH_VERSIONS)[number]
