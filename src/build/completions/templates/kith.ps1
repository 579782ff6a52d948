# Completion of kith in PowerShell: kith completion powershell | Out-String | Invoke-Expression
# Generated from the command tree: npm run generate

Register-ArgumentCompleter -Native -CommandName kith -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    Set-StrictMode -Off

    # What may follow the words in $path, a line each: words, a : before each argument of a command, and flags.
    # After that :, and after the = of a flag that takes a value, stands what is offered: words, an @ and what they
    # are, or nothing. A + ends an argument that can be repeated. What follows ' -- ' is for people.
    function Get-KithSyntax([string] $path) {
@syntax@
    }

    # What is offered as the value of a flag, by the lines in $syntax; $null where it takes none.
    function Get-KithOffer([string] $flag) {
        foreach ($line in $syntax) {
            if ($line -cmatch '^(-[^= ]*)=(\S*) -- ' -and $Matches[1] -ceq $flag) { return $Matches[2] }
        }
    }

    # The values that the program knows from files of this machine, in UTF-8. Where it fails there are none.
    function Get-KithValues([string] $kind) {
        $encoding = [Console]::OutputEncoding
        $exitCode = $global:LASTEXITCODE
        try {
            [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
            & $program complete $kind @workspace 2>$null
        }
        catch { }
        finally {
            [Console]::OutputEncoding = $encoding
            $global:LASTEXITCODE = $exitCode
        }
    }

    # The words before the cursor as the program would get them, and the one at the cursor as far as it is typed.
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
    $workspace = @()
    foreach ($before in ($typed | Select-Object -Skip 1)) {
        if ($awaiting) {
            $workspace += "$awaiting=$before"
            $awaiting = ''
        }
        elseif ($ended -or $before -notmatch '^-.') {
            if (@($syntax -match '^\w').Count -gt 0) {
                $path = "$path $before".Trim()
                $syntax = @(Get-KithSyntax $path)
            }
            else { $place++ }
        }
        elseif ($before -ceq '--') { $ended = $true }
        elseif ($before -like '--*=*') { $workspace += $before }
        else {
            $offer = Get-KithOffer $before
            if ($null -ne $offer) { $awaiting = $before }
        }
    }
    $workspace = @($workspace -cmatch '^--(profile|base-url)=.')

    # Each candidate is a text and what it is.
    $candidates = @()
    $start = ''
    if ($awaiting) {
        # Its value is at the cursor.
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
    }
    else {
        $places = @($syntax -match '^:')
        if ($places.Count -gt 0 -and $place -ge $places.Count -and $places[-1].EndsWith('+')) { $place = $places.Count - 1 }
        $offer = if ($place -lt $places.Count) { $places[$place].Trim(':', '+') } else { '' }
    }

    # Where nothing at all comes from here PowerShell completes paths itself; an empty text keeps it from that.
    if ($offer -ceq '@files' -or $offer -ceq '@folders') { return }
    $values = if ($offer -like '@*') { Get-KithValues ($offer.Substring(1)) } elseif ($offer) { $offer -split ',' }
    foreach ($value in $values) { $candidates += , @("$start$value", "$value") }

    $results = foreach ($candidate in $candidates) {
        $text, $summary = $candidate
        if (-not $text.StartsWith($word, [System.StringComparison]::OrdinalIgnoreCase)) { continue }
        $inserted = if ($text -match '[^\w./:=-]') { "'" + $text.Replace("'", "''") + "'" } else { $text }
        [System.Management.Automation.CompletionResult]::new($inserted, $text, 'ParameterValue', $summary)
    }
    if ($results) { $results } else { '' }
}
