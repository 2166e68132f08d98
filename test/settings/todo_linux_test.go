package settings

var recording = map[string]check{}
var busing = map[string]check{}
var projects = map[string]check{}
var making = map[string]check{}
var workflows = map[string]check{}
var delegating = map[string]check{}
