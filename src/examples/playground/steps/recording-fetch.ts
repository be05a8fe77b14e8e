/**
 * The parts of a request that the page may show; never its query, headers or body.
 */
export type RecordedRequest = {
  id: number;
  method: string;
  path: string;
  /** Null while it runs; 0 when there was no response. */
  status: number | null;
  requestId: string | null;
};

const MAX_REQUESTS = 8;
let requests: RecordedRequest[] = [];
const listeners = new Set<() => void>();

export const recordedRequests = {
  read: (): RecordedRequest[] => requests,
  listen(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function put(request: RecordedRequest): void {
  const others = requests.filter(({ id }) => id !== request.id);
  requests = [request, ...others]
    .sort((a, b) => b.id - a.id)
    .slice(0, MAX_REQUESTS);
  for (const listener of listeners) listener();
}

let next = 1;

/**
 * The platform's `fetch`, which also records method, path, status and Request-Id
 * for the list on the page.
 */
export const recordingFetch: typeof fetch = async (input, init) => {
  const { method, url } =
    input instanceof Request
      ? input
      : { method: init?.method ?? 'GET', url: String(input) };
  const { pathname: path } = new URL(url, window.location.href);
  const recorded = { id: next++, method, path, status: null, requestId: null };
  put(recorded);
  try {
    const response = await window.fetch(input, init);
    put({
      ...recorded,
      status: response.status,
      requestId: response.headers.get('request-id'),
    });
    return response;
  } catch (error) {
    put({ ...recorded, status: 0 });
    throw error;
  }
};
