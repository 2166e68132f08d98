package internal

const PackageVersion = "3.95.0" // x-release-please-version
