import { describe, expect, it } from 'vitest';
import { testServices } from '#dev/testing/services.ts';
import { createRestHandler } from './rest-handler.ts';

const handler = createRestHandler(
  testServices({ url: 'postgresql://unused@127.0.0.1:9/none' }, { PUBLIC_URL: 'https://care.example.test' }),
);
const get = (path: string, method = 'GET') =>
  handler({
    method,
    path,
    query: new URLSearchParams(),
    header: () => null,
    body: async () => new Uint8Array(),
    ip: '192.0.2.1',
  });

describe('the OpenAPI document', () => {
  it('is public and contains this deployment’s URL', async () => {
    const { status, body } = await get('/api/v1/openapi.json');
    expect(status).toBe(200);
    expect(JSON.parse(body!).servers).toEqual([{ url: 'https://care.example.test/api/v1' }]);
    expect((await get('/api/v1/openapi.json', 'HEAD')).status).toBe(200);
  });

  it('has a redirect to the reference page', async () => {
    expect(await get('/api/v1/docs')).toMatchObject({
      status: 302,
      headers: { location: 'https://care.example.test/docs' },
      body: null,
    });
  });
});
