export { exportChart } from './export-chart.ts';
