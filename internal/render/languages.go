package render

import "strings"

// language is as much of a language as [highlighter] knows.
type language struct {
	comments    []string // to the end of the line
	open, close string   // around a comment of several lines
	quotes      string
	longQuotes  []string // around a string of several lines
	keywords    map[string]bool
	anyCase     bool
}

// languages are those that are known, by name and by the ending of files.
var languages = named(map[string]*language{
	"go golang": {comments: slashes, open: "/*", close: "*/", quotes: `"'`, longQuotes: []string{"`"}, keywords: set(
		"break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false iota any string int int64 error bool byte")},
	"js jsx mjs cjs javascript ts tsx typescript": {comments: slashes, open: "/*", close: "*/", quotes: `"'`, longQuotes: []string{"`"}, keywords: set(
		"abstract as async await break case catch class const continue default delete do else enum export extends false finally for from function get if implements import in instanceof interface let new null of private protected public readonly return set static super switch this throw true try type typeof undefined var void while yield")},
	"c h cc cpp cxx hpp c++ java cs c# kt kotlin swift scala dart php": {comments: slashes, open: "/*", close: "*/", quotes: `"'`, keywords: set(
		"abstract auto base bool boolean break byte case catch char class const constexpr continue default delete do double else enum explicit extends extern false final finally float for foreach fun func function goto guard if implements import in include inline int interface internal is let long namespace new null nullptr object operator out override package private protected public readonly return sealed short signed sizeof static string struct super switch template this throw throws true try typedef typename union unsigned use using val var virtual void volatile when where while")},
	"rs rust": {comments: slashes, open: "/*", close: "*/", quotes: `"`, keywords: set(
		"as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while Some None Ok Err")},
	"py python python3": {comments: hashes, quotes: `"'`, longQuotes: []string{`"""`, "'''"}, keywords: set(
		"and as assert async await break class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield")},
	"rb ruby": {comments: hashes, quotes: `"'`, keywords: set(
		"alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo require rescue retry return self super then true undef unless until when while yield")},
	"sh bash zsh shell console fish makefile mk dockerfile": {comments: hashes, quotes: `"'`, keywords: set(
		"case do done elif else esac export fi for function if in local readonly return set shift then unset until while FROM RUN COPY ENV WORKDIR ENTRYPOINT CMD")},
	"json jsonc":                 {comments: slashes, quotes: `"`, keywords: set("true false null")},
	"yaml yml toml ini conf cfg": {comments: hashes, quotes: `"'`, keywords: set("true false null yes no on off")},
	"sql": {comments: []string{"--"}, open: "/*", close: "*/", quotes: `'"`, anyCase: true, keywords: set(
		"add all alter and as asc between by case create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references right select set table then union unique update values view when where with")},
	"lua": {comments: []string{"--"}, quotes: `"'`, keywords: set(
		"and break do else elseif end false for function goto if in local nil not or repeat return then true until while")},
	"css scss": {open: "/*", close: "*/", quotes: `"'`, keywords: set("important inherit none auto")},
})

var (
	slashes = []string{"//"}
	hashes  = []string{"#"}
)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

// named has each language under each of its names.
func named(all map[string]*language) map[string]*language {
	out := map[string]*language{}
	for names, l := range all {
		for n := range strings.FieldsSeq(names) {
			out[n] = l
		}
	}
	return out
}
