import { expect, test } from 'vitest';
import { joinLink, usesPortalRoom } from './join-link.ts';

const HERE = 'https://care.example.test';

test.each([
  ['https://care.example.test/visit#t.abc', '/appointments/7/call'],
  ['https://care.example.test/visit/t.abc', '/appointments/7/call'],
  ['https://care.example.test/visitors/abc', 'https://care.example.test/visitors/abc'],
  ['https://rooms.example.test/visit/t.abc', 'https://rooms.example.test/visit/t.abc'],
])('for %s the join link is %s', (video_call_url, href) => {
  expect(joinLink({ id: '7', video_call_url }, HERE)).toBe(href);
  expect(usesPortalRoom({ video_call_url }, HERE)).toBe(href !== video_call_url);
});
