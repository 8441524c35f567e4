--@ * does a loop never end
::again::
goto again
