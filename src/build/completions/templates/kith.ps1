# Completion of kith in PowerShell: kith completion powershell | Out-String | Invoke-Expression
# Generated from the command tree: npm run generate

Register-ArgumentCompleter -Native -CommandName kith -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    Set-StrictMode -Off

    # Outputs what may follow the words in $path, one per line: words, a : before each argument of a command, and
    # flags. After that :, and after the = of a flag, come the candidates: words, an @ and the name of a source, or
    # nothing. A + at the end marks an argument that can be repeated. A description follows ' -- '.
    function Get-KithSyntax([string] $path) {
@syntax@
    }

    # Returns the candidates for the value of a flag, from the lines in $syntax; $null if it takes no value.
    function Get-KithOffer([string] $flag) {
        foreach ($line in $syntax) {
            if ($line -cmatch '^(-[^= ]*)=(\S*) -- ' -and $Matches[1] -ceq $flag) { return $Matches[2] }
        }
    }

    # Returns the names that the program reads from files on this machine, in UTF-8, with a tab before a description;
    # none if it fails.
    function Get-KithNames([string] $source, [string] $typedText) {
        $encoding = [Console]::OutputEncoding
        $exitCode = $global:LASTEXITCODE
        try {
            [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
            & $program complete $source "--word=$typedText" "--command=$path" @context 2>$null
        }
        catch { }
        finally {
            [Console]::OutputEncoding = $encoding
            $global:LASTEXITCODE = $exitCode
        }
    }

    # The words before the cursor, without quotes, and the part of the current word that is before the cursor.
    $typed = @()
    $word = ''
    foreach ($element in $commandAst.CommandElements) {
        $extent = $element.Extent
        if ($extent.EndOffset -lt $cursorPosition) {
            $isString = $element -is [System.Management.Automation.Language.StringConstantExpressionAst]
            $typed += if ($isString) { $element.Value } else { $extent.Text }
        }
        elseif ($extent.StartOffset -lt $cursorPosition) {
            $word = $extent.Text.Substring(0, $cursorPosition - $extent.StartOffset)
            if ($word -match "^'") { $word = $word.Substring(1).Replace("''", "'") }
            else { $word = $word -replace '^"', '' -replace '`(.)', '$1' }
        }
    }
    $program = $typed | Select-Object -First 1

    $path = ''
    $syntax = @(Get-KithSyntax '')
    $place = 0
    $awaiting = ''
    $offer = ''
    $ended = $false
    $context = @()
    foreach ($before in ($typed | Select-Object -Skip 1)) {
        if ($awaiting) {
            $context += "$awaiting=$before"
            $awaiting = ''
        }
        elseif ($ended -or $before -notmatch '^-.') {
            if (@($syntax -match '^\w').Count -gt 0) {
                $path = "$path $before".Trim()
                $syntax = @(Get-KithSyntax $path)
            }
            else {
                # The first argument may be a list. A flag would follow it.
                if ($place -eq 0) { $context = @("--list=$before") + $context }
                $place++
            }
        }
        elseif ($before -ceq '--') { $ended = $true }
        elseif ($before -like '--*=*') { $context += $before }
        else {
            $offer = Get-KithOffer $before
            if ($null -ne $offer) { $awaiting = $before }
        }
    }
    $context = @($context -cmatch '^--(profile|base-url|list)=.')

    # Each candidate is a text and its description.
    $candidates = @()
    $start = ''
    if ($awaiting) {
        # The cursor is at the value of a flag.
    }
    elseif (-not $ended -and $word -match '^(--[^=]+)=') {
        $start = $Matches[0]
        $offer = Get-KithOffer $Matches[1]
    }
    elseif (-not $ended -and $word -like '-*') {
        $offer = ''
        foreach ($line in ($syntax -match '^-')) {
            $flag, $summary = $line -split ' -- ', 2
            $candidates += , @(($flag -replace '=.*', ''), $summary)
        }
    }
    elseif (@($syntax -match '^\w').Count -gt 0) {
        $offer = ''
        foreach ($line in ($syntax -match '^\w')) { $candidates += , @($line -split ' -- ', 2) }
        if (-not $path) { foreach ($name in (Get-KithNames 'aliases' $word)) { $candidates += , @($name, $name) } }
    }
    else {
        $places = @($syntax -match '^:')
        if ($places.Count -gt 0 -and $place -ge $places.Count -and $places[-1].EndsWith('+')) { $place = $places.Count - 1 }
        $offer = if ($place -lt $places.Count) { $places[$place].Trim(':', '+') } else { '' }
    }

    # Without any output PowerShell completes paths itself. An empty text prevents that.
    if ($offer -ceq '@files' -or $offer -ceq '@folders') { return }
    $values = if ($offer -like '@*') { Get-KithNames ($offer.Substring(1)) ($word.Substring($start.Length)) }
    elseif ($offer) { $offer -split ',' }
    foreach ($line in $values) {
        $value, $summary = $line -split "`t", 2
        $candidates += , @("$start$value", $(if ($summary) { $summary } else { $value }))
    }

    $results = foreach ($candidate in $candidates) {
        $text, $summary = $candidate
        if (-not $text.StartsWith($word, [System.StringComparison]::OrdinalIgnoreCase)) { continue }
        $inserted = if ($text -match '[^\w./:=-]') { "'" + $text.Replace("'", "''") + "'" } else { $text }
        [System.Management.Automation.CompletionResult]::new($inserted, $text, 'ParameterValue', $summary)
    }
    if ($results) { $results } else { '' }
}
