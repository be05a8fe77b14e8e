import { expect, test } from 'vitest';
import { ADDRESSED } from './open-clinic.ts';
import { pageRoutes } from './page-routes.ts';

const routes = pageRoutes().map(({ route }) => route);

test('finds staff pages and patient pages, without route group names', () => {
  expect(pageRoutes()).toContainEqual({ route: '/', isStaffs: true });
  expect(pageRoutes()).toContainEqual({ route: '/settings/account', isStaffs: true });
  expect(pageRoutes()).toContainEqual({ route: '/visit', isStaffs: false });
});

test('every route with a parameter has a URL to measure', () => {
  expect(routes.filter((route) => route.includes('[') && !ADDRESSED.includes(route))).toEqual([]);
  expect(ADDRESSED.filter((route) => !routes.includes(route))).toEqual([]);
});
