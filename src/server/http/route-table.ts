import { type Method, ROUTES, type Route } from '#contract/routes.ts';

export type Match = { route: Route; params: Record<string, string> };

type Pattern = { path: string; segments: string[]; byMethod: ReadonlyMap<Method, Route> };

/** The routes by path, built once. */
const PATTERNS: readonly Pattern[] = [...new Set(ROUTES.map(({ path }) => path))].map((path) => ({
  path,
  segments: path.split('/'),
  byMethod: new Map(ROUTES.filter((route) => route.path === path).map((route) => [route.method, route])),
}));
/** Paths without parameters take precedence. */
const EXACT: ReadonlyMap<string, Pattern> = new Map(
  PATTERNS.filter(({ path }) => !path.includes('{')).map((pattern) => [pattern.path, pattern]),
);
const OPEN = PATTERNS.filter(({ path }) => path.includes('{'));

/** A segment with invalid percent-encoding matches no id, but still selects the route. */
const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

function bind(pattern: Pattern, segments: string[]): Record<string, string> | null {
  if (pattern.segments.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.segments.entries()) {
    const given = segments[index]!;
    if (part.startsWith('{')) {
      const value = decode(given);
      if (!value) return null;
      params[part.slice(1, -1)] = value;
    } else if (part !== given) return null;
  }
  return params;
}

/** Finds the route; returns `{allow}` if the path exists with other methods, null if there is no such path. */
export function findRoute(method: string, path: string): Match | { allow: string[] } | null {
  const pattern = EXACT.get(path);
  const segments = path.split('/');
  let params: Record<string, string> | null = pattern ? {} : null;
  let found = pattern;
  for (const candidate of found ? [] : OPEN) {
    params = bind(candidate, segments);
    if (params) {
      found = candidate;
      break;
    }
  }
  if (!found || !params) return null;
  const route = found.byMethod.get((method === 'HEAD' ? 'GET' : method) as Method);
  return route ? { route, params } : { allow: [...found.byMethod.keys()] };
}
