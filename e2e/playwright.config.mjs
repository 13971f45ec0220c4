import { defineConfig } from '@playwright/test'
import { find } from './browser.mjs'
import { step, whole } from './timeouts.mjs'

const executablePath = find() || undefined

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.mjs',
  testIgnore: 'runtimes/**',
  outputDir: 'test-results/failures',
  reporter: [['list'], ['html', { outputFolder: 'report', open: 'never' }]],
  workers: 2,
  fullyParallel: true,
  forbidOnly: !!process.env.CI,
  timeout: whole,
  expect: { timeout: step, toPass: { timeout: step } },
  use: {
    viewport: { width: 1440, height: 900 },
    colorScheme: 'light',
    // Recording every step costs more than the steps; TRACE=retain-on-failure asks for it.
    trace: process.env.TRACE ?? 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath,
      args: [
        '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync',
      ],
    },
  },
})
