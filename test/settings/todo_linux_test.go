package settings

var attaching = map[string]check{}
var rendering = map[string]check{}
var declaring = map[string]check{}
var typing = map[string]check{}
var recording = map[string]check{}
var busing = map[string]check{}
var projects = map[string]check{}
var making = map[string]check{}
var workflows = map[string]check{}
var delegating = map[string]check{}
var tools = map[string]check{}
var commands = map[string]check{}
