package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/authored"
	"belay/internal/client"
	"belay/internal/fault"
	"belay/internal/lazyregexp"
	"belay/internal/model"
	"belay/internal/session"
)

// explain turns an error into what a person needs: what went wrong, what to do
// next, and the exit code.
func explain(cmd *cobra.Command, err error) (code int, message, hint string, silent bool) {
	code, message = ExitFailed, err.Error()
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		code, message, hint = faultCode(f.Type), withCode(sentence(f), f.Type), nextStep(f)
		if f.Type == fault.InvalidWorkflow {
			message = workflowSentence(f)
		}
		switch root, named := f.Details["projectRoot"]; {
		case errors.Is(f, session.ErrMalformed): // whose cause it tells itself
			if at := (*fs.PathError)(nil); errors.As(f.Cause, &at) {
				message = withCode(flagWords.Replace(f.Message)+", in "+at.Path, f.Type)
			}
		case f.Cause != nil && f.Type == fault.StorageFailure:
			message = withCode(fmt.Sprintf("%s: %v", flagWords.Replace(withoutReason(f)), f.Cause), f.Type)
			if f.Hint == "" && !fault.IsShortage(f) {
				_, step := systemWords(message, err)
				hint = cmp.Or(step, hint) // no space would help
			}
		case named && f.Type == fault.WorkingRootInaccessible:
			message = withCode(fmt.Sprintf("%s: %v", flagWords.Replace(f.Message), root), f.Type)
		}
	}
	message, step := systemWords(message, err)
	hint = cmp.Or(hint, step)
	if away := (*client.Unreached)(nil); errors.As(err, &away) && !answered(err) {
		code, hint = ExitNotFound, cmp.Or(hint, awayStep(away))
	}
	if own := (*failure)(nil); errors.As(err, &own) {
		if own.silent {
			return own.code, "", "", true
		}
		code = own.code
		if own.hint != "" {
			hint = own.hint
		}
	} else if errors.Is(err, context.Canceled) {
		return ExitInterrupted, "interrupted", "", false
	}
	if code == ExitUsage && hint == "" && cmd != nil {
		hint = "run " + cmd.CommandPath() + " --help"
	}
	hint = cmp.Or(hint, "run belay doctor to see what this machine has and lacks")
	return code, message, hint, false
}

// answered reports whether a server has refused what was asked, whatever became of an earlier try.
func answered(err error) bool {
	f := (*fault.Error)(nil)
	return errors.As(err, &f) && f.Type != fault.SDKFailure
}

// nextStep is the hint of f. The next steps of some types are worded for HTTP;
// on a command line there is a command or a flag instead.
func nextStep(f *fault.Error) string {
	if f.Hint == "" {
		switch f.Type {
		case fault.TurnInProgress:
			if id, ok := f.Details["sessionId"].(string); ok && id != "" {
				return "wait for it, or stop it with belay session interrupt " + line(id)
			}
			return "wait for it, or stop it with belay session interrupt"
		case fault.AttachmentFailure:
			return "see what is wrong with each file with belay attach inspect, or add a message"
		case fault.Unauthorized:
			return "give the file with the server's token: --token-file FILE"
		}
	}
	if f.Hint == "" && f.Type == fault.SDKFailure {
		if step := upstreamStep(f); step != "" {
			return step
		}
	}
	if step := commandSteps[f.Type]; step != "" && f.Hint == "" {
		return step
	}
	return flagWords.Replace(f.NextStep())
}

// upstreamStep is the next step after a failure of a provider, by its category.
// The event of a failed turn has no hint of its own.
func upstreamStep(f *fault.Error) string {
	category, _ := f.Details["category"].(string)
	kind, _ := f.Details["upstreamType"].(string)
	provider, _ := f.Details["provider"].(string)
	provider = line(provider)
	if at, _ := f.Details[model.RetryAt].(string); at != "" {
		return "wait until " + line(at) + ", then send the turn again"
	}
	if provider == "scripted" { // which has no key and no address to correct
		switch model.Category(category) {
		case model.InvalidAPIKey, model.NetworkError, model.RequestTimeout, model.NetworkPolicyViolation:
			return "the script of the scripted provider plays this failure; --provider anthropic or openai asks a model"
		}
	}
	switch model.Category(category) {
	case model.InvalidAPIKey:
		return "check " + strings.ToUpper(provider) + "_API_KEY in the environment that belay runs in: the provider does not accept it"
	case model.RateLimited:
		if kind == "insufficient_quota" {
			return "the account has no credit left: look at its plan and billing"
		}
		return "wait a while, then send the turn again"
	case model.APIResponseError:
		switch {
		case f.Status >= 500:
			return "the provider is overloaded or has a fault of its own; send the turn again later"
		case f.Status == 404 && provider == "openai":
			return "name a model that the server has with --model, or give it the model (ollama pull NAME); openai.base_url usually ends in /v1"
		case f.Status == 404 && kind != "not_found_error":
			return "nothing there has the API; check " + provider + ".base_url"
		case f.Status == 404:
			return "name a model that the provider still has with --model, or with model or default_model in the configuration"
		case kind == "context_length_exceeded" || kind == "exceed_context_size_error" || provider == "openai" && model.SaysTooLong(f.Message):
			return "attach less or start a new session; if the server's context is not what models or openai.context_tokens say, correct them"
		case f.Status == 413 || model.SaysTooLong(f.Message):
			return "attach fewer or smaller files, or start a new session"
		case f.Status == 402 || strings.Contains(strings.ToLower(f.Message), "credit balance"): // Anthropic has a 400 for it
			return "look at the plan and the billing of the account"
		case f.Status == 408:
			return "send the turn again later"
		case f.Status >= 400:
			return "correct what the provider names, then send the turn again; if an earlier turn has it, go on from before that one (belay session fork)"
		}
	case model.RequestTooLarge:
		return "attach fewer or smaller files, or start a new session"
	case model.ResponseTooLarge, "ANSWER_TOO_LARGE":
		return "ask for less at once, then send the turn again"
	case model.StreamInvalid:
		return "send the turn again; if it fails the same way, check " + provider + ".base_url: what answers there does not speak the provider's protocol"
	case model.NetworkError, model.RequestTimeout:
		return "check the network and " + provider + ".base_url, then send the turn again"
	case model.NetworkPolicyViolation:
		return "correct " + provider + ".base_url, or name its host in network.allowed_hosts"
	}
	return ""
}

// tasksFailed are the words with which the failure of a run names the tasks that failed.
var tasksFailed = lazyregexp.New(`^(?:the task [\w/-]+ failed: )+`)

// upstream puts before a provider's own words whose they are.
func upstream(f *fault.Error, message string) string {
	provider, _ := f.Details["provider"].(string)
	category, _ := f.Details["category"].(string)
	switch model.Category(category) {
	case model.InvalidAPIKey, model.RateLimited, model.APIResponseError:
		if provider != "" && f.Status >= 400 {
			whose := tasksFailed.FindString(message)
			return fmt.Sprintf("%s%s answered %d: %s", whose, line(provider), f.Status, message[len(whose):])
		}
	}
	return message
}

// sentence is what was wrong, all of it, in the words of the command line.
func sentence(f *fault.Error) string {
	message := f.Message
	var all []fault.Problem
	// Of a server they come as plain JSON.
	if data, err := json.Marshal(f.Details["problems"]); err == nil && json.Unmarshal(data, &all) == nil && len(all) > 0 {
		each := make([]string, len(all))
		for i, p := range all {
			each[i] = p.Field + " " + p.Message
		}
		message = listProblems(each)
	}
	return upstream(f, flagWords.Replace(namingFile(f, message)))
}

// maxProblemsListed is how many problems fit a screen, maxProblemsInLine a sentence.
const maxProblemsListed, maxProblemsInLine = 20, 3

// moreProblems ends a list of too many problems.
const moreProblems = "and more, which are shown when these are corrected"

// listProblems is a sentence with the problems of a request, or, where they are many, a
// list with each on a line.
func listProblems(all []string) string {
	if len(all) <= maxProblemsInLine {
		return strings.Join(all, "; ")
	}
	if len(all) > maxProblemsListed {
		all = append(all[:maxProblemsListed:maxProblemsListed], moreProblems)
	}
	return "these are wrong:\n" + strings.Join(all, "\n")
}

// workflowSentence is what is wrong with a workflow, each problem on a line with its
// place, and its next step below it.
func workflowSentence(f *fault.Error) string {
	var all []struct {
		File, Path, Message, Hint string
		Line, Column              int
	}
	data, err := json.Marshal(f.Details["problems"])
	if err != nil || json.Unmarshal(data, &all) != nil || len(all) == 0 {
		return withCode(f.Message, f.Type)
	}
	what, _, _ := strings.Cut(f.Message, ":\n")
	lines := []string{withCode(what, f.Type) + ":"}
	hints := authored.Hints{}
	for i, p := range all {
		if i == maxProblemsListed {
			lines = append(lines, moreProblems)
			break
		}
		at := ""
		if p.Line > 0 {
			at = fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Column)
		}
		if p.Path != "" {
			at += p.Path + ": "
		}
		if lines = append(lines, at+p.Message); hints.Show(p.Hint) {
			lines = append(lines, "  "+p.Hint)
		}
	}
	return strings.Join(lines, "\n")
}

// faultCode is the exit code of an error of the packages below.
func faultCode(t fault.Type) int {
	switch t {
	case fault.SessionNotFound, fault.PersonaNotFound, fault.NotFound, fault.WorkingRootInaccessible,
		fault.DeliverableNotFound, fault.StatusFileNotFound, fault.RegisterNotFound, fault.RunNotFound:
		return ExitNotFound
	case fault.InvalidRequest, fault.MissingAPIKey, fault.InstructionRootInvalid, fault.WorkingRootConflict,
		fault.Unauthorized, fault.Forbidden, fault.RequestTooLarge, fault.BudgetExceeded, fault.AttachmentFailure,
		fault.InvalidProjectRoot, fault.DeliverableOutside, fault.AmbiguousName, fault.InvalidDate, fault.ApprovalSHARequired, fault.InvalidWorkflow:
		return ExitUsage
	case fault.TurnTimeout:
		return ExitTimedOut
	}
	return ExitFailed
}
