import { expect, test } from 'vitest';
import { originForm, pageErrorStatus } from './request-target.ts';

test('originForm reduces an absolute URL to its path, for any host', () => {
  expect(originForm('/api/v1/patients?size=1')).toBe('/api/v1/patients?size=1');
  expect(originForm('http://clinic.example.test/api/v1/patients')).toBe('/api/v1/patients');
  expect(originForm('HTTPS://clinic.example.test')).toBe('/');
  expect(originForm('http://clinic.example.test?a=1')).toBe('/?a=1');
  expect(originForm('//clinic.example.test/a')).toBe('//clinic.example.test/a');
  expect(originForm('*')).toBe('*');
});

test('pageErrorStatus rejects methods other than GET and HEAD', () => {
  for (const method of ['GET', 'HEAD']) expect(pageErrorStatus({ method, headers: {} }, '/patients')).toBeNull();
  for (const method of ['POST', 'OPTIONS', 'TRACE', 'PROPFIND', 'PUT'])
    expect(pageErrorStatus({ method, headers: {} }, '/patients')).toBe(405);
});

test('pageErrorStatus rejects a path with invalid encoding', () => {
  for (const path of ['/patients/%zz', '/visit/%', '/%ff', '*', ''])
    expect(pageErrorStatus({ headers: {} }, path)).toBe(400);
  for (const path of ['/', '/%00', '/visit/a%2Fb', '/ä']) expect(pageErrorStatus({ headers: {} }, path)).toBeNull();
});

test('pageErrorStatus rejects a body without a length, or one that is too long', () => {
  const fault = (headers: Record<string, string>) => pageErrorStatus({ method: 'GET', headers }, '/patients');
  expect(fault({ 'content-length': '1048576' })).toBeNull();
  expect(fault({ 'content-length': '1048577' })).toBe(413);
  expect(fault({ 'transfer-encoding': 'chunked' })).toBe(411);
});
