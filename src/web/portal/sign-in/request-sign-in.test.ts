import { afterEach, expect, test, vi } from 'vitest';
import { requestSignIn, safeReturnPath } from './request-sign-in.ts';

const CREDENTIALS = { email: 'ada@example.test', password: 'correct horse battery' };
const ERROR_PAGE = 'http://localhost:3000/api/auth/error?error=';

afterEach(() => vi.unstubAllGlobals());

/** Stubs the response to the form; the request for the token succeeds unless `token` says otherwise. */
function stubResponses(form: Response | Error, token = Response.json({ csrfToken: 'token' })) {
  const requests: { path: string; body: string }[] = [];
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    requests.push({ path, body: String(init.body ?? '') });
    const response = path.endsWith('/csrf') ? token : form;
    if (response instanceof Error) throw response;
    return response.clone();
  });
  return requests;
}
const rateLimited = (seconds: number) =>
  Response.json({ errors: [{ code: 'rate_limited' }] }, { status: 429, headers: { 'retry-after': `${seconds}` } });

test.each([
  [1, 'a second'],
  [8, '8 seconds'],
  [99, '99 seconds'],
  [900, '15 minutes'],
])('reports a wait of %s seconds in words', async (seconds, duration) => {
  const sentence = { errorMessage: `Too many tries. Wait ${duration}, then try again.` };
  stubResponses(rateLimited(seconds));
  expect(await requestSignIn(CREDENTIALS)).toEqual(sentence);
  stubResponses(new Error('not asked'), rateLimited(seconds));
  expect(await requestSignIn(CREDENTIALS)).toEqual(sentence);
});

test('maps the sign-in response to the next step or to a message', async () => {
  const resultOf = async (error: string) => {
    stubResponses(Response.json({ url: ERROR_PAGE + error }, { status: 401 }));
    return requestSignIn(CREDENTIALS);
  };
  expect(await resultOf('code_required')).toBe('code_required');
  expect(await resultOf('CredentialsSignin')).toEqual({
    errorMessage: expect.stringContaining('Email or password is wrong.'),
  });
  expect(await resultOf('internal_error')).toEqual({ errorMessage: expect.stringContaining('did not answer') });
  stubResponses(new Error('no connection'));
  expect(await requestSignIn(CREDENTIALS)).toEqual({ errorMessage: expect.stringContaining('did not answer') });
});

test('sends a code when there is one', async () => {
  const requests = stubResponses(Response.json({ url: 'http://localhost:3000/' }));
  expect(await requestSignIn(CREDENTIALS)).toBe('signed_in');
  expect(await requestSignIn({ ...CREDENTIALS, code: '123456' })).toBe('signed_in');
  const forms = requests.filter(({ path }) => !path.endsWith('/csrf')).map(({ body }) => new URLSearchParams(body));
  expect(forms.map((form) => [form.get('email'), form.get('csrfToken'), form.get('code')])).toEqual([
    [CREDENTIALS.email, 'token', null],
    [CREDENTIALS.email, 'token', '123456'],
  ]);
});

test('returns a path of the portal with its query', () => {
  expect(safeReturnPath('/patients?search=ada')).toBe('/patients?search=ada');
  expect(safeReturnPath('http://localhost:3000/plans')).toBe('/plans');
});

test('returns / for another site, an invalid URL and the sign-in page', () => {
  expect(safeReturnPath('https://evil.example//evil.example')).toBe('/');
  expect(safeReturnPath('//evil.example')).toBe('/');
  expect(safeReturnPath('javascript:alert(1)')).not.toContain(':');
  expect(safeReturnPath('http://[')).toBe('/');
  expect(safeReturnPath('/sign-in?callbackUrl=/')).toBe('/');
  expect(safeReturnPath(undefined)).toBe('/');
});
