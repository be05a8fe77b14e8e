import { expect, test } from 'vitest';
import { ADDRESSED } from './open-clinic.ts';
import { pageRoutes } from './page-routes.ts';

const routes = pageRoutes().map(({ route }) => route);

test('staff’s pages and patients’ are found, without the names of their groups', () => {
  expect(pageRoutes()).toContainEqual({ route: '/', isStaffs: true });
  expect(pageRoutes()).toContainEqual({ route: '/settings/account', isStaffs: true });
  expect(pageRoutes()).toContainEqual({ route: '/visit', isStaffs: false });
});

test('every page whose address names something has an address to measure it at', () => {
  expect(routes.filter((route) => route.includes('[') && !ADDRESSED.includes(route))).toEqual([]);
  expect(ADDRESSED.filter((route) => !routes.includes(route))).toEqual([]);
});
